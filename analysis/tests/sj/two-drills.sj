event MethodEntry { recorded: yes; method_id: yes; }
event Call { counted: yes; receiver_class: yes; }
