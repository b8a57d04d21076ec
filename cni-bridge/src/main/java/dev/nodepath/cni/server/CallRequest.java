package dev.nodepath.cni.server;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * One call as its client sent it.
 *
 * @param variables the environment's {@code CNI_*}
 * @param stdin what the runtime gave the client on standard input
 * @param root the client's root directory
 */
public record CallRequest(Map<String, String> variables, ByteBuffer stdin, FileIdentity root) {}
