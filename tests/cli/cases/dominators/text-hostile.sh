ubiheap dominators hostile.fxsnapshot
