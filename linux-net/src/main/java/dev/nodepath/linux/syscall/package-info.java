/**
 * The one native boundary: system calls through JNR-FFI, their numbers and their errors. Every other package calls
 * the kernel through {@link dev.nodepath.linux.syscall.Syscalls}. It knows no protocol.
 */
package dev.nodepath.linux.syscall;
