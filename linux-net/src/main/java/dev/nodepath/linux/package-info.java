/**
 * The entry to the kernel. {@link dev.nodepath.linux.LinuxNet} opens, makes and deletes network namespaces; {@link
 * dev.nodepath.linux.KernelLinuxNet} does so with system calls. Programs ask here and work with the handles they
 * get. Nothing here knows Services, pods or CNI.
 */
package dev.nodepath.linux;
