ubiheap convert --json -c none unreachable.fxsnapshot copy.fxsnapshot
