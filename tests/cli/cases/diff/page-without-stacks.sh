ubiheap diff -n 3 unreachable.fxsnapshot unreachable.fxsnapshot
