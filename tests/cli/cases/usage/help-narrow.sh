COLUMNS=50 ubiheap help info
