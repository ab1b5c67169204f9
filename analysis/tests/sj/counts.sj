// Only numbers: of calls with their receivers, of blocks, of objects by their place.
event Call { *: yes; recorded: no; env_id: no; }
event Block { method_id: yes; block: yes; }
event ObjectAlloc { site: yes; class_id: yes; counted: false; counted: true; }
default { counted: yes; }
