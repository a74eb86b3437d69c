ubiheap run -o '%x.fxsnapshot' app.js
