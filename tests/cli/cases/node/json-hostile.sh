ubiheap node --json hostile.fxsnapshot 10
