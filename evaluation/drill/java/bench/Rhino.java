package bench;

import org.mozilla.javascript.Context;
import org.mozilla.javascript.Function;
import org.mozilla.javascript.ScriptableObject;

/** Rhino in its interpreter: objects, closures, arrays and strings of JavaScript. */
final class Rhino implements Workload {
    private static final String SCRIPT = String.join("\n",
            "function Queue() { this.items = []; }",
            "Queue.prototype.put = function (x) { var i = this.items.length; this.items.push(x);",
            "  while (i > 0 && this.items[i - 1].at > x.at) { this.items[i] = this.items[i - 1]; i--; } this.items[i] = x; };",
            "function turn() {",
            "  var queue = new Queue(), words = {}, total = 0;",
            "  for (var n = 0; n < 150; n++) queue.put({ at: n * 7919 % 1009, name: 'n' + n % 37 });",
            "  for (var i in queue.items) { var x = queue.items[i]; words[x.name] = (words[x.name] || 0) + x.at; }",
            "  for (var word in words) total = (total * 31 + words[word] + word.length) % 1000003;",
            "  var fib = function (n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); };",
            "  return total * 1000 + fib(15) % 1000;",
            "}");
    private Context context;
    private ScriptableObject scope;
    private Function turn;

    @Override
    public long turn() {
        if (context == null) {
            // A context belongs to its thread.
            context = Context.enter();
            context.setOptimizationLevel(-1);
            scope = context.initStandardObjects();
            context.evaluateString(scope, SCRIPT, "turn", 1, null);
            turn = (Function) scope.get("turn", scope);
        }
        return (long) Context.toNumber(turn.call(context, scope, scope, new Object[0]));
    }
}
