ubiheap diff --by class -n 3 tiny-before.fxsnapshot unreachable.fxsnapshot
