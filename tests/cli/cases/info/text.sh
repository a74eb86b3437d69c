ubiheap info tiny-before.fxsnapshot | sed "s/^\(Memory\|Loaded in\).*/\1 .../"
