package dev.nodepath.linux.iptables;

import java.io.IOException;
import java.io.InputStream;

/** The output of a command, up to a limit. Reading more is an error, so that no command can fill the memory. */
final class LimitedInput extends InputStream {
    private final InputStream input;
    private final long limitBytes;
    private long readBytes;

    LimitedInput(InputStream input, long limitBytes) {
        this.input = input;
        this.limitBytes = limitBytes;
    }

    @Override
    public int read() throws IOException {
        int read = input.read();
        count(read < 0 ? 0 : 1);
        return read;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        int read = input.read(into, from, length);
        count(Math.max(0, read));
        return read;
    }

    private void count(int bytes) throws IOException {
        readBytes += bytes;
        if (readBytes > limitBytes) {
            throw new IOException("wrote more than " + limitBytes + " bytes");
        }
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
