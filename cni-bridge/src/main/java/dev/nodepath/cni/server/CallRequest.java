package dev.nodepath.cni.server;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * A call from a client.
 *
 * @param variables the environment's {@code CNI_*}
 * @param stdin the client's standard input
 * @param root the client's root directory
 */
public record CallRequest(Map<String, String> variables, ByteBuffer stdin, FileIdentity root) {}
