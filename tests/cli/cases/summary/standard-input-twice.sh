ubiheap summary --since - - < /dev/null
