ubiheap convert two.fxsnapshot nowhere/copy.fxsnapshot
