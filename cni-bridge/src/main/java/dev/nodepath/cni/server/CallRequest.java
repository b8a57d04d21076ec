package dev.nodepath.cni.server;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * One call as its client sent it.
 *
 * @param variables the environment's {@code CNI_*}
 * @param openErrno ENOENT or ENOTDIR if the file that {@code CNI_NETNS} names is missing; 0 if the client opened it, or
 *     none is named
 * @param stdin what the runtime gave the client on standard input
 */
public record CallRequest(Map<String, String> variables, int openErrno, ByteBuffer stdin) {}
