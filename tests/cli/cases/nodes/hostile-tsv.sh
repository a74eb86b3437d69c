ubiheap nodes -c id,className,typeName,displayName hostile.fxsnapshot
