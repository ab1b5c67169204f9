//! Small classes for unit tests, written by hand: one class `T`, one method.

use spl_classfile::pool::{CLASS, METHOD, NAME_AND_TYPE, UTF8};

/// The method of a class to build.
#[derive(Clone, Debug)]
pub(crate) struct TestMethod {
    pub(crate) version: u16,
    pub(crate) class: &'static str,
    pub(crate) access: u16,
    pub(crate) name: &'static str,
    pub(crate) descriptor: &'static str,
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    /// Empty: the method has no Code attribute.
    pub(crate) code: Vec<u8>,
    /// Start, end and target; each handler catches everything.
    pub(crate) handlers: Vec<[u16; 3]>,
    /// `info` bytes of a StackMapTable.
    pub(crate) frames: Option<Vec<u8>>,
}

/// Constant index of the method `java/lang/Object.<init>()V`.
pub(crate) const OBJECT_INIT: u8 = 9;
/// Constant index of the class `java/lang/Object`.
pub(crate) const OBJECT_CLASS: u8 = 4;

impl Default for TestMethod {
    fn default() -> Self {
        Self {
            version: 52,
            class: "T",
            access: 0x0009,
            name: "f",
            descriptor: "()V",
            max_stack: 4,
            max_locals: 0,
            code: vec![0xb1],
            handlers: Vec::new(),
            frames: None,
        }
    }
}

impl TestMethod {
    /// The class file.
    pub(crate) fn class_file(&self) -> Vec<u8> {
        let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0];
        out.extend(self.version.to_be_bytes());
        let utf8 = |out: &mut Vec<u8>, text: &str| {
            out.push(UTF8);
            out.extend((text.len() as u16).to_be_bytes());
            out.extend(text.as_bytes());
        };
        out.extend(15_u16.to_be_bytes());
        utf8(&mut out, self.class); // 1
        out.extend([CLASS, 0, 1]); // 2
        utf8(&mut out, "java/lang/Object"); // 3
        out.extend([CLASS, 0, 3]); // 4
        utf8(&mut out, self.name); // 5
        utf8(&mut out, "<init>"); // 6
        utf8(&mut out, "()V"); // 7
        out.extend([NAME_AND_TYPE, 0, 6, 0, 7]); // 8
        out.extend([METHOD, 0, 4, 0, 8]); // 9
        utf8(&mut out, self.descriptor); // 10
        utf8(&mut out, "Code"); // 11
        utf8(&mut out, "StackMapTable"); // 12
        utf8(&mut out, "LineNumberTable"); // 13
        utf8(&mut out, "LocalVariableTable"); // 14
        // Access, this, super, zero interfaces, zero fields, one method.
        out.extend([0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 1]);
        out.extend(self.access.to_be_bytes());
        out.extend([0, 5, 0, 10]);
        if self.code.is_empty() {
            out.extend([0, 0, 0, 0]);
            return out;
        }
        let info = self.code_info();
        out.extend([0, 1, 0, 11]);
        out.extend((info.len() as u32).to_be_bytes());
        out.extend(info);
        out.extend([0, 0]);
        out
    }

    fn code_info(&self) -> Vec<u8> {
        let mut info = [self.max_stack.to_be_bytes(), self.max_locals.to_be_bytes()].concat();
        info.extend((self.code.len() as u32).to_be_bytes());
        info.extend(&self.code);
        info.extend((self.handlers.len() as u16).to_be_bytes());
        for handler in &self.handlers {
            info.extend(handler.iter().flat_map(|field| field.to_be_bytes()));
            info.extend([0, 0]);
        }
        let last = (self.code.len() - 1) as u16;
        info.extend([0, if self.frames.is_some() { 3 } else { 2 }]);
        // Line 1 at the start, line 2 at the last byte.
        info.extend([0, 13, 0, 0, 0, 10, 0, 2, 0, 0, 0, 1]);
        info.extend(last.to_be_bytes());
        info.extend([0, 2]);
        // One variable that lives everywhere.
        info.extend([0, 14, 0, 0, 0, 12, 0, 1, 0, 0]);
        info.extend((self.code.len() as u16).to_be_bytes());
        info.extend([0, 5, 0, 7, 0, 0]);
        if let Some(frames) = &self.frames {
            info.extend([0, 12]);
            info.extend((frames.len() as u32).to_be_bytes());
            info.extend(frames);
        }
        info
    }
}
