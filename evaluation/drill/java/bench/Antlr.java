package bench;

import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.LexerInterpreter;
import org.antlr.v4.runtime.ParserInterpreter;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.tool.Grammar;

/** ANTLR: a grammar is analysed and its interpreter parses a program of a small language. */
final class Antlr implements Workload {
    private static final String GRAMMAR = "grammar Small;\n"
            + "program : function+ EOF ;\n"
            + "function : 'fun' NAME '(' (NAME (',' NAME)*)? ')' block ;\n"
            + "block : '{' statement* '}' ;\n"
            + "statement : 'if' '(' expression ')' statement ('else' statement)? | 'while' '(' expression ')' statement\n"
            + "  | 'return' expression? ';' | NAME '=' expression ';' | expression ';' | block ;\n"
            + "expression : expression ('*' | '/') expression | expression ('+' | '-') expression\n"
            + "  | expression ('<' | '>' | '==') expression | NAME '(' (expression (',' expression)*)? ')' | '(' expression ')' | NAME | NUMBER ;\n"
            + "NAME : [a-z] [a-z0-9]* ;\nNUMBER : [0-9]+ ;\nSPACE : [ \\r\\n\\t]+ -> skip ;\n";
    private final String program;

    Antlr() {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < 120; at++) {
            text.append("fun f").append(at).append("(a, b) { x = a * ").append(at).append(" + b; while (x < 1000) { x = x + f").append(at * 7 % 120)
                    .append("(x, (a - b) / 2) * 3; if (x == b) return x; else { y = x; } } return x + y * (b + 1); }\n");
        }
        program = text.toString();
    }

    @Override
    public long turn() throws Exception {
        Grammar grammar = new Grammar(GRAMMAR);
        LexerInterpreter lexer = grammar.createLexerInterpreter(CharStreams.fromString(program));
        ParserInterpreter parser = grammar.createParserInterpreter(new CommonTokenStream(lexer));
        ParserRuleContext tree = parser.parse(grammar.getRule("program").index);
        if (parser.getNumberOfSyntaxErrors() > 0) {
            throw new IllegalStateException("the program does not parse");
        }
        return tree.toStringTree(parser).hashCode();
    }
}
