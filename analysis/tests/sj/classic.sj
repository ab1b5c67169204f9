/*
 * What the metrics of *J are computed from, by the events of JVMPI: who is called, what each instruction does,
 * what is allocated and freed, and where threads wait.
 */

# Each event has its thread.
default {
    env_id: on;
    recorded: on;
}

event JVM* {}

event Thread* {}
event ThreadStart { thread_*: yes; }

event Class* { class_id: yes; }
event ClassLoad {           // with what it declares
    *_name: yes;
    num_interfaces: yes;
    methods: yes;
}

event MethodEntry2 { method_id: yes; obj_id: yes; }
event MethodExit   { method_id: yes; }

event InstructionStart { method_id: yes; offset: yes; }

event Arena* { arena_id: yes; }
event Object* { obj_id: yes; }
event ObjectAlloc { size: yes; is_array: yes; class_id: yes; arena_id: yes; }
event ObjectMove { new_*: yes; }
event ObjectDump { recorded: no; }

event GC* {}
event MonitorContended* { object: yes; }
