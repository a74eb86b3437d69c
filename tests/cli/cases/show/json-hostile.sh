ubiheap show --json hostile.fxsnapshot 10
