// 3:1: expected an operation, got the end of the file
// Not even an operation.
