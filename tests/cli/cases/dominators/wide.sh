COLUMNS=140 ubiheap dominators tiny-before.fxsnapshot
