default { recoded: yes; counted: yes; }
event MethodEntri { method_id: yes; }
event Blok* { block: yes; }
event Method* { method: yes; obj_id: yes; }
event Quux { recorded: yes; }
event GCStart { used_objects: yes; }
