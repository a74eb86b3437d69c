ubiheap nodes --where "$(printf 'id == \033]0;owned')" tiny-before.fxsnapshot
