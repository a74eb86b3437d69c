ubiheap info unreachable.fxsnapshot | sed "s/^\(Memory\|Loaded in\).*/\1 .../"
