package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodTroubleTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            Pending                        | {}
            Running                        | {'phase':'Running'}
            0/2 nodes                      | {'conditions':[{'type':'PodScheduled','status':'False','message':'0/2 nodes'}]}
            unready: [a]                   | {'conditions':[{'type':'Ready','status':'False','message':'unready: [a]'}]}
            CrashLoopBackOff: back-off 10s | {'containerStatuses':[{'state':{'waiting':{'reason':'CrashLoopBackOff','message':'back-off 10s'}}}],'conditions':[{'type':'Ready','status':'False','message':'unready'}]}
            CrashLoopBackOff: back-off 10s | {'initContainerStatuses':[{'state':{'waiting':{'reason':'CrashLoopBackOff','message':'back-off 10s'}}}],'conditions':[{'type':'Ready','status':'False','message':'unready'}]}
            Pending                        | {'containerStatuses':[{'state':{'waiting':{'reason':'ContainerCreating'}}}]}
            """)
    void saysWhyAPodIsNotReady(String trouble, String status) throws JsonProcessingException {
        ObjectNode pod = (ObjectNode) JSON.readTree(("{'status':" + status + "}").replace('\'', '"'));

        assertThat(PodTrouble.of(pod)).isEqualTo(trouble);
    }
}
