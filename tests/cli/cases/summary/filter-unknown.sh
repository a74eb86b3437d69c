ubiheap summary --filter zzzzzzzzzz no-such-file
