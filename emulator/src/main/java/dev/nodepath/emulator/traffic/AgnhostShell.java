package dev.nodepath.emulator.traffic;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Runs the work of {@code agnhost netexec} in its container: {@code /shell}, {@code /upload}, and the look-up of names
 * for {@code /dial}. Answers are JSON: {@code {"output":"...","error":"..."}}, without empty fields.
 */
final class AgnhostShell {
    private static final String UPLOAD = "mkdir -p /uploads && f=$(mktemp /uploads/uploadXXXXXXXXX) && cat >\"$f\" "
            + "&& chmod 700 \"$f\" && printf %s \"$f\"";

    private final ContainerCommands container;

    AgnhostShell(ContainerCommands container) {
        this.container = container;
    }

    /** A status and a body. */
    record Answer(HttpResponseStatus status, String body) {}

    /** Runs a line of shell. */
    Answer shell(String line) {
        try {
            ContainerCommands.Ended ended = run(List.of("/bin/sh", "-c", line), new byte[0]);
            return answer(
                    HttpResponseStatus.OK,
                    ended.output(),
                    ended.exitCode() == 0 ? "" : "exit status " + ended.exitCode());
        } catch (IOException e) {
            return answer(HttpResponseStatus.OK, "", String.valueOf(e.getMessage()));
        }
    }

    /** Writes a file, whose path is the output. */
    Answer upload(byte[] file) {
        try {
            ContainerCommands.Ended ended = run(List.of("/bin/sh", "-c", UPLOAD), file);
            return ended.exitCode() == 0
                    ? answer(HttpResponseStatus.CREATED, ended.output(), "")
                    : answer(HttpResponseStatus.OK, "", "Unable to open file for write");
        } catch (IOException e) {
            return answer(HttpResponseStatus.OK, "", "Unable to write file.");
        }
    }

    /** The request should have had a file. */
    static Answer noFile() {
        return answer(HttpResponseStatus.OK, "", "Unable to upload file.");
    }

    /**
     * The address of a host as its container knows it.
     *
     * @throws UnknownHostException if it knows none
     */
    InetAddress address(String host) throws IOException {
        byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
        if (literal != null) {
            return InetAddress.getByAddress(literal);
        }
        String found =
                run(List.of("getent", "ahostsv4", "--", host), new byte[0]).output();
        byte[] first = NetUtil.createByteArrayFromIpAddressString(found.split("\\s", 2)[0]);
        if (first == null) {
            throw new UnknownHostException("lookup " + host + ": no such host");
        }
        return InetAddress.getByAddress(first);
    }

    private ContainerCommands.Ended run(List<String> command, byte[] input) throws IOException {
        try {
            return container.run(command, input);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the cluster ends", e);
        }
    }

    private static Answer answer(HttpResponseStatus status, String output, String error) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        if (!error.isEmpty()) {
            answer.put("error", error);
        }
        if (!output.isEmpty()) {
            answer.put("output", output);
        }
        return new Answer(status, answer.toString());
    }
}
