# What went with JVMPI, and what no drill has.
default { recorded: yes; }
event RawMonitor* { name: yes; }
event JNI* { ref_id: yes; }
event Data*Request {}
event HeapDump {}
event GC* {}
