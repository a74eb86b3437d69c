ubiheap nodes -f csv -c id,className,displayName hostile.fxsnapshot
