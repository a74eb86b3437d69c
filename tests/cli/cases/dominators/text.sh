ubiheap dominators tiny-before.fxsnapshot
