ubiheap dominators --breakdown lable tiny-before.fxsnapshot
