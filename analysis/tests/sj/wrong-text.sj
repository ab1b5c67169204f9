evnt Block { recorded: yes; }
event { recorded: yes; }
event Block
event Call { recorded yes; site: ; receiver_class: yse; callee_id: yes }
event MethodExit { thrown: yes;
event MethodEntry { ; depth: no; method_id: yes: }
default { recorded: yes
/* no end
