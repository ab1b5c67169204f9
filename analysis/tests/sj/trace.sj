# The order of calls and blocks, with the calls of each place counted as a check.
event Method* { recorded: yes; env_id: yes; method_id: yes; depth: true; thrown: true; }
event Block   { recorded: yes; env_id: yes; method_id: yes; block: yes; counted: yes; }
event MethodEntry2 { recorded: off; }
event Call { counted: yes; site: yes; }
