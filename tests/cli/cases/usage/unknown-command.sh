ubiheap nods tiny-before.fxsnapshot
