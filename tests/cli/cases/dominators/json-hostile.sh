ubiheap dominators --json hostile.fxsnapshot
