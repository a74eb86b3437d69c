ubiheap nodes -n 1 -c id --fail-on 'count(Function) > 30%' tiny-before.fxsnapshot
