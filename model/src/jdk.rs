//! The names of the JDK's classes.

/// Names of the JDK's classes, as far as names tell: a drill has no class loaders.
pub const JDK: &[&str] = &[
    "java.",
    "javax.accessibility.",
    "javax.annotation.processing.",
    "javax.crypto.",
    "javax.imageio.",
    "javax.lang.model.",
    "javax.management.",
    "javax.naming.",
    "javax.net.",
    "javax.print.",
    "javax.rmi.",
    "javax.script.",
    "javax.security.",
    "javax.smartcardio.",
    "javax.sound.",
    "javax.sql.",
    "javax.swing.",
    "javax.tools.",
    "javax.transaction.xa.",
    "javax.xml.",
    "jdk.",
    "sun.",
    "com.sun.",
    "netscape.javascript.",
    "org.ietf.jgss.",
    "org.jcp.xml.dsig.",
    "org.w3c.dom.",
    "org.xml.sax.",
];

/// Whether a class, with slashes, is one of the JDK's by its name.
#[must_use]
pub fn is_of_jdk(class: &str) -> bool {
    let class = class.replace('/', ".");
    JDK.iter().any(|prefix| class.starts_with(prefix))
}
