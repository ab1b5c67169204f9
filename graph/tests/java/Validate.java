import java.io.File;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;

/** Validates XML files against the schema that is the first argument. */
class Validate {
    public static void main(String[] arguments) throws Exception {
        var validator = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI).newSchema(new File(arguments[0])).newValidator();
        for (int i = 1; i < arguments.length; i++) {
            String said = "valid";
            try {
                validator.validate(new StreamSource(new File(arguments[i])));
            } catch (org.xml.sax.SAXException e) {
                said = e.getMessage();
            }
            System.out.println(said);
        }
    }
}
