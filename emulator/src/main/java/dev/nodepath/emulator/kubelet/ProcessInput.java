package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.io.OutputStream;

/** The input of a process, from the side of a client. The end of the process says why something was not read. */
record ProcessInput(Process process) {
    void write(byte[] octets) {
        try {
            OutputStream input = process.getOutputStream();
            input.write(octets);
            input.flush();
        } catch (IOException e) {
            // It has ended, or reads no further.
            return;
        }
    }

    void close() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
            return;
        }
    }
}
