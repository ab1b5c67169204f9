package bench;

import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.transform.Templates;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;

/** Xalan's interpreter: a stylesheet with keys, sorting and recursion makes a page of a list of books. */
final class Xalan implements Workload {
    private static final int BOOKS = 400;
    private static final String SHEET = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
            + "<xsl:key name='by-author' match='book' use='author'/>"
            + "<xsl:template match='/'><html><body><xsl:apply-templates select='list/book'><xsl:sort select='year' data-type='number'/>"
            + "<xsl:sort select='title'/></xsl:apply-templates></body></html></xsl:template>"
            + "<xsl:template match='book'><div class='{@id}'><h1><xsl:value-of select='title'/></h1>"
            + "<xsl:if test='count(key(\"by-author\", author)) &gt; 4'><p><xsl:value-of select='concat(author, \" wrote \","
            + " count(key(\"by-author\", author)), \" books\")'/></p></xsl:if>"
            + "<xsl:choose><xsl:when test='contains(title, \"7\")'><b><xsl:call-template name='turn'><xsl:with-param name='text' select='title'/>"
            + "</xsl:call-template></b></xsl:when><xsl:otherwise><i><xsl:value-of select='translate(title, \"abc\", \"ABC\")'/></i></xsl:otherwise>"
            + "</xsl:choose><xsl:value-of select='format-number(price * 1.19, \"#,##0.00\")'/></div></xsl:template>"
            + "<xsl:template name='turn'><xsl:param name='text'/><xsl:if test='string-length($text) &gt; 0'><xsl:call-template name='turn'>"
            + "<xsl:with-param name='text' select='substring($text, 2)'/></xsl:call-template><xsl:value-of select='substring($text, 1, 1)'/>"
            + "</xsl:if></xsl:template></xsl:stylesheet>";
    private final Templates templates;
    private final String list;

    Xalan() throws Exception {
        templates = new org.apache.xalan.processor.TransformerFactoryImpl().newTemplates(new StreamSource(new StringReader(SHEET)));
        StringBuilder text = new StringBuilder("<list>");
        for (int at = 0; at < BOOKS; at++) {
            text.append("<book id='b").append(at).append("'><title>a book about ").append(at * 7919 % 1009).append("</title><author>author ")
                    .append(at * 31 % 97).append("</author><year>").append(1900 + at * 17 % 120).append("</year><price>").append(at % 50)
                    .append(".5</price></book>");
        }
        list = text.append("</list>").toString();
    }

    @Override
    public long turn() throws Exception {
        StringWriter page = new StringWriter();
        templates.newTransformer().transform(new StreamSource(new StringReader(list)), new StreamResult(page));
        return page.toString().hashCode();
    }
}
