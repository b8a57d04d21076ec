package dev.nodepath.endpoints.source.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnreadFieldsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final UnreadFields UNREAD =
            UnreadFields.of(List.of("metadata.managedFields", "spec.volumes", "spec.containers.env"));

    private static JsonNode read(UnreadFields unread, String text) throws IOException {
        try (JsonParser parser = JSON.createParser(text.replace('\'', '"'))) {
            assertThat(parser.nextToken()).isNotNull();
            return unread.read(JSON, parser);
        }
    }

    @Test
    void leavesOutFieldsByTheirPathsAlone() throws Exception {
        JsonNode object = read(UNREAD, """
                {'metadata': {'name': 'web', 'labels': {'env': 'test', 'volumes': '2'},
                              'managedFields': [{'manager': 'x', 'fieldsV1': {'f:spec': {}}}]},
                 'spec': {'volumes': [{'name': 'data'}], 'env': 'kept',
                          'containers': [{'name': 'a', 'env': [{'name': 'A', 'value': '1'}]},
                                         {'env': null, 'ports': [1]}]}}
                """);
        assertThat(object).isEqualTo(read(UnreadFields.of(List.of()), """
                {'metadata': {'name': 'web', 'labels': {'env': 'test', 'volumes': '2'}},
                 'spec': {'env': 'kept', 'containers': [{'name': 'a'}, {'ports': [1]}]}}
                """));
    }

    @Test
    void readsAllElseAsTheMapperDoes() throws Exception {
        String text = "{'a': [1, 2.5, true, null, 'x', {}, []], 'b': {'c': 12345678901234567890}, 'd': '\\u00e9'}";
        assertThat(read(UNREAD, text)).isEqualTo(JSON.readTree(text.replace('\'', '"')));
        assertThat(read(UNREAD, "'text'")).isEqualTo(JSON.readTree("\"text\""));
        assertThatThrownBy(() -> read(UNREAD, "{'spec': {'containers': [{'env'"))
                .isInstanceOf(JsonParseException.class);
        assertThatThrownBy(() -> read(UNREAD, "[1, ")).isInstanceOf(JsonParseException.class);
    }
}
