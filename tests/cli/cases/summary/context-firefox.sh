ubiheap summary --context none tiny-before.fxsnapshot
