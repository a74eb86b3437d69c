ubiheap nodes -s -distance -c distance unreachable.fxsnapshot | sort | uniq -c
