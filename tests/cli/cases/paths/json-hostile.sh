ubiheap paths --json hostile.fxsnapshot 10
