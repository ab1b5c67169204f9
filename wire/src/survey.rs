//! Questions about the classes that a JVM has loaded, and the answers.

use serde::{Deserialize, Serialize};
use spl_model::glob;

/// Most bytes of all classes in one answer, so that it fits in a frame with the paths.
pub const MAX_CLASSES_BYTES: usize = 512 << 10;
/// Most bytes of each path in an answer.
pub const MAX_PATH_BYTES: usize = 128 << 10;

/// Classes and methods that a controller asks for. `*` stands for any characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// Name of the class, with dots between packages and before nested classes.
    pub class: String,
    /// Name of the method.
    pub method: String,
}

/// A loaded class with those of its methods that are asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedClass {
    /// Binary name with slashes.
    pub name: String,
    /// Its own methods.
    pub methods: Vec<LoadedMethod>,
}

/// A method of a loaded class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedMethod {
    /// Unqualified name.
    pub name: String,
    /// Method descriptor.
    pub descriptor: String,
    /// Access flags (JVMS 4.6).
    pub access: u16,
}

impl Wanted {
    /// Whether a class is one of those asked for, by its name in the form of [`dotted`].
    #[must_use]
    pub fn is_class(&self, dotted: &str) -> bool {
        glob::matches(&self.class, dotted)
    }

    /// Whether a method is one of those asked for.
    #[must_use]
    pub fn is_method(&self, name: &str) -> bool {
        glob::matches(&self.method, name)
    }

    /// Whether classes of any package are meant, and so none of the JVM's own.
    #[must_use]
    pub fn is_of_any_package(&self) -> bool {
        self.class.starts_with('*')
    }
}

impl LoadedClass {
    /// Bytes in an answer, at most.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_method = |one: &LoadedMethod| one.name.len() + one.descriptor.len() + 9;
        self.name.len() + 6 + self.methods.iter().map(of_method).sum::<usize>()
    }
}

/// The name of a class, binary with slashes, in the form of [`Wanted::class`].
#[must_use]
pub fn dotted(class: &str) -> String {
    class.replace(['/', '$'], ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_asked_for_by_its_java_name() {
        let check = |class: &str, name: &str, expected: bool| {
            let wanted = Wanted { class: class.to_owned(), method: String::new() };
            assert_eq!(wanted.is_class(&dotted(name)), expected, "{class} {name}");
        };
        check("com.shop.Cart", "com/shop/Cart", true);
        check("com.shop.Cart", "com/shop/Cart$Item", false);
        check("com.shop.Cart.Item", "com/shop/Cart$Item", true);
        check("com.shop.*", "com/shop/Cart$Item", true);
        check("com.shop.*Dao", "com/shop/a/CartDao", true);
        check("com.shop.*Dao", "com/shop/a/CartDaoImpl", false);
        check("*.Cart", "com/shop/Cart", true);
        check("*.Cart", "Cart", false);
    }

    #[test]
    fn an_answer_of_the_longest_size_fits_in_a_frame() {
        let method = LoadedMethod { name: "m".repeat(20), descriptor: "()V".to_owned(), access: u16::MAX };
        let class = LoadedClass { name: "C".repeat(1000), methods: vec![method; 10] };
        let classes = vec![class.clone(); MAX_CLASSES_BYTES / class.bytes()];
        let path = "p".repeat(MAX_PATH_BYTES);
        let answer = crate::ToController::Surveyed {
            class_path: path.clone(),
            module_path: path.clone(),
            java_home: path,
            loaded: u32::MAX,
            classes,
            is_whole: false,
        };
        let mut bytes = Vec::new();
        assert!(crate::Encoder::default().encode(&answer, &mut bytes).is_ok());
        assert!(bytes.len() > MAX_CLASSES_BYTES);
    }
}
