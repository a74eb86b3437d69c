ubiheap info --compat chrome tiny-before.fxsnapshot
