package dev.nodepath.apiserver.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Bodies written octet by octet. {@code KubectlTest} reads those of kubectl. */
class ProtobufBodyTest {
    private static final int SPEC = 2;
    private static final int CONTAINERS = 2;

    @Test
    void readsAPodWithContainers() {
        assertThat(read(pod(2)).path("spec").path("containers")).hasSize(2);
    }

    /** Three megabytes that would take 130. */
    @Test
    void refusesMillionsOfEmptyMessages() {
        byte[] body = pod(1_500_000);
        assertThatThrownBy(() -> read(body))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("more than 500000 fields");
    }

    private static JsonNode read(byte[] body) {
        return ProtobufBody.read(body, Json.MAPPER);
    }

    private static byte[] pod(int containers) {
        byte[] none = {};
        ByteArrayOutputStream spec = new ByteArrayOutputStream();
        for (int i = 0; i < containers; i++) {
            spec.writeBytes(field(CONTAINERS, none));
        }
        ByteArrayOutputStream type = new ByteArrayOutputStream();
        type.writeBytes(field(1, "v1".getBytes(StandardCharsets.UTF_8)));
        type.writeBytes(field(2, "Pod".getBytes(StandardCharsets.UTF_8)));
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes("k8s\0".getBytes(StandardCharsets.UTF_8));
        body.writeBytes(field(1, type.toByteArray()));
        body.writeBytes(field(2, field(SPEC, spec.toByteArray())));
        return body.toByteArray();
    }

    /** A field with a length: its number and wire type 2, the length as a varint, the octets. */
    private static byte[] field(int number, byte[] content) {
        ByteArrayOutputStream field = new ByteArrayOutputStream();
        field.write((number << 3) | 2);
        int length = content.length;
        while (length >= 0x80) {
            field.write((length & 0x7f) | 0x80);
            length >>>= 7;
        }
        field.write(length);
        field.writeBytes(content);
        return field.toByteArray();
    }
}
