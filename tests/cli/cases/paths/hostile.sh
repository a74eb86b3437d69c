ubiheap paths hostile.fxsnapshot 10 20 21
