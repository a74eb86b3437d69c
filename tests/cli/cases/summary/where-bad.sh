ubiheap summary --where 'rawSize >' no-such-file
