ubiheap nodes -f json -c id,className,displayName hostile.fxsnapshot
