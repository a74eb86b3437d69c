ubiheap summary --class T --json big-ids.fxsnapshot
