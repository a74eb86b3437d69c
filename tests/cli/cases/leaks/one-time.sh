ubiheap leaks --every 1s --times 1 ubi://localhost
